export { ResilienceDashboardModule } from './dashboard.module.js';
export type { DashboardGuard, DashboardGuards, ResilienceDashboardOptions } from './dashboard-options.js';
export type {
  DashboardHistory,
  HistoryReadOptions,
  StoredEventLike,
  StoredReportLike,
} from './dashboard-history.js';
