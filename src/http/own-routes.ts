import type { Request, RequestHandler } from 'express';
import type { Dialect } from '../planner/dialect.ts';
import { meRoutes } from './about/me-routes.ts';
import { overviewRoutes } from './admin/overview-routes.ts';
import type { AppParts } from './app.ts';
import type { Allowances } from './asks/allowances.ts';
import { calendarRoutes } from './asks/calendar-routes.ts';
import { explainRoutes } from './asks/explain-routes.ts';
import { ownDocumentsOf } from './asks/open-dialects.ts';
import { auditRoutes } from './audit.ts';
import { eventRoutes } from './events/event-routes.ts';
import { openOwnChanges } from './events/own-changes.ts';
import { askLists } from './lists/ask-lists.ts';
import { offerLists } from './lists/offer-lists.ts';
import { ownSignIns } from './sign-in/own-sign-ins.ts';
import type { SignInParts } from './sign-in/session-routes.ts';

type OwnParts = Pick<
  AppParts,
  'database' | 'planner' | 'waiters' | 'site' | 'checks' | 'engines' | 'configuration' | 'trail'
> & {
  readonly baseUrl: (request: Request) => string;
  readonly dialects: readonly Dialect[];
  readonly signing: SignInParts;
  readonly allowances: Allowances;
};

/** What clients see of what is their own, and administrators of everybody's. */
export function ownRoutes(parts: OwnParts): readonly RequestHandler[] {
  const { database, planner, waiters, site, checks, engines, configuration, trail } = parts;
  const { baseUrl, dialects, signing } = parts;
  const { rates, stored, spendRate, giveBack } = parts.allowances;
  const own = ownDocumentsOf(dialects);
  const { printExplanation, printCalendar } = own;
  const changes = openOwnChanges(database, waiters, () => performance.now());
  return [
    askLists({ database, baseUrl, ...own }),
    offerLists({ database, baseUrl, ...own }),
    explainRoutes({ database, planner, baseUrl, spendRate, printExplanation }),
    eventRoutes({ changes, waiters }),
    meRoutes({ database, site, rates, stored }),
    auditRoutes(trail),
    overviewRoutes({ database, site, rates, stored, checks, engines, configuration }),
    ownSignIns(signing),
    calendarRoutes({ database, site, spendRate, giveBack, printCalendar }),
  ];
}
