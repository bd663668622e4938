// A model that writes plain text, as the text tools see it.

export type TextModel = {
  /** @throws CountersignError `model_failed`, `timed_out` or `cancelled` */
  complete(request: {
    system: string;
    prompt: string;
    signal: AbortSignal;
  }): Promise<{ text: string; cost_usd: number }>;
};
