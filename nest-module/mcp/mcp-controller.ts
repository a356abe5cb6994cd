import { All, Controller, Inject, Req, Res, UseGuards, VERSION_NEUTRAL, type Type } from '@nestjs/common';
import type { McpModuleOptions } from './mcp-options.js';
import { McpSite, type GivenRequest, type GivenResponse } from './mcp-site.js';

/** What tells @nestjs/swagger to leave a controller out. */
const NOT_IN_SWAGGER = 'swagger/apiExcludeController';

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
  if (guards.length > 0) UseGuards(...guards)(ResilienceMcpController);
  Reflect.defineMetadata(NOT_IN_SWAGGER, [true], ResilienceMcpController);
  return ResilienceMcpController;
}
