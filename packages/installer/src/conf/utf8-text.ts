/** Decodes UTF-8. Keeps a byte order mark, because container runtimes cannot parse a text with this mark either. */
export const utf8Text = (bytes: Uint8Array): string => decoder.decode(bytes)

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
