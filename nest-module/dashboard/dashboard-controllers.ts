import { Controller, Get, Inject, Param, Post, Req, Res, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import type { GivenRequest, GivenResponse } from '../site/raw-http.js';
import { guarded } from '../site/site-controller.js';
import type { DashboardOptions } from './dashboard-options.js';
import { DashboardSite } from './dashboard-site.js';

/** The routes of one dashboard. Classes of its own for each, as paths and guards belong to classes. */
export function dashboardControllers({ path, guards, operatorGuards }: DashboardOptions): readonly Type[] {
  const at = { path, version: VERSION_NEUTRAL } as const;
  const looking = guarded(controllerForLooking(at), guards);
  if (operatorGuards === undefined) return [looking];
  return [looking, guarded(controllerForOperating(at), [...guards, ...operatorGuards])];
}

type Place = Parameters<typeof Controller>[0] & object;

function controllerForLooking(at: Place): Type {
  @Controller(at)
  class ResilienceDashboardController {
    constructor(@Inject(DashboardSite) private readonly site: DashboardSite) {}

    @Get()
    page(@Res() response: GivenResponse): void {
      this.site.page(response);
    }

    @Get('events')
    events(@Req() request: GivenRequest, @Res() response: GivenResponse): void {
      this.site.events(request, response);
    }

    @Get('executions/:callId')
    execution(@Param('callId') callId: string, @Res() response: GivenResponse): void {
      this.site.execution(callId, response);
    }

    @Get('history')
    history(@Req() request: GivenRequest, @Res() response: GivenResponse): Promise<void> {
      return this.site.history(request, response);
    }
  }
  return ResilienceDashboardController;
}

function controllerForOperating(at: Place): Type {
  @Controller(at)
  class ResilienceDashboardOperatorController {
    constructor(@Inject(DashboardSite) private readonly site: DashboardSite) {}

    @Post('operate')
    operate(@Req() request: GivenRequest, @Res() response: GivenResponse): Promise<void> {
      return this.site.operate(request, response);
    }
  }
  return ResilienceDashboardOperatorController;
}
