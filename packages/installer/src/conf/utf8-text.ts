/** Decodes UTF-8. Keeps a byte order mark, because parsing must fail as in runtimes. */
export const utf8Text = (bytes: Uint8Array): string => decoder.decode(bytes)

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
