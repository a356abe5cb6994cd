import { All, Controller, Inject, Req, Res, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import type { GivenRequest, GivenResponse } from '../site/raw-http.js';
import { guarded } from '../site/site-controller.js';
import type { McpModuleOptions } from './mcp-options.js';
import { McpSite } from './mcp-site.js';

/** A class of its own for each module, as paths and guards belong to classes. */
export function mcpController({ path, guards }: McpModuleOptions): Type {
  @Controller({ path, version: VERSION_NEUTRAL })
  class ResilienceMcpController {
    constructor(@Inject(McpSite) private readonly site: McpSite) {}

    @All()
    serve(@Req() request: GivenRequest, @Res() response: GivenResponse): Promise<void> {
      return this.site.handle(request, response);
    }
  }
  return guarded(ResilienceMcpController, guards);
}
