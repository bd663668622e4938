// Bodies of other servers' answers: read up to a limit, whatever they say of their length.

/** Bytes of the reason that a server gives for a refusal. */
export const longestReason = 100_000;

/** The first `limit` bytes of `body`, counted after decompression. Beyond, the stream is cancelled. */
export async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  limit: number,
): Promise<{ bytes: Buffer<ArrayBuffer>; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop cancels the stream.
    if (size > limit) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), isCut: size > limit };
}

/** `response` with another body. */
export function withBody(
  response: Response,
  body: ReadableStream | Uint8Array<ArrayBuffer> | string,
): Response {
  const { status, statusText, url, redirected } = response;
  const headers = new Headers(response.headers);
  // They are of the body as it was sent.
  for (const name of ['content-length', 'content-encoding']) headers.delete(name);
  return Object.defineProperties(new Response(body, { status, statusText, headers }), {
    // The constructor does not take them.
    url: { value: url },
    redirected: { value: redirected },
  });
}
