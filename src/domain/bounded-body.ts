// Reads response bodies up to a limit.

export const longestReason = 100_000;

/** Counts decompressed bytes; cancels the rest. */
export async function readBody(
  body: AsyncIterable<Uint8Array> | null,
  limit: number,
): Promise<{ bytes: Buffer<ArrayBuffer>; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), isCut: size > limit };
}

export async function readText({ body }: Response, limit: number): Promise<string> {
  return (await readBody(body, limit)).bytes.toString('utf8');
}

export function withBody(
  response: Response,
  body: ReadableStream | Uint8Array<ArrayBuffer> | string,
): Response {
  const { status, statusText, url, redirected } = response;
  const headers = new Headers(response.headers);
  // For the original body.
  for (const name of ['content-length', 'content-encoding']) headers.delete(name);
  return Object.defineProperties(new Response(body, { status, statusText, headers }), {
    // Not accepted by the constructor.
    url: { value: url },
    redirected: { value: redirected },
  });
}
