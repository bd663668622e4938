// What the console is given by the process it runs in.
import type { Service } from '#contracts/service.ts';

export type ConsoleOptions = {
  service: Service;
  /** IANA zone of readers whose browser does not say where they are. */
  timezone: string;
};
