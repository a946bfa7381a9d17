/**
 * Decodes a configuration file as UTF-8; also works in a browser. Does not remove a byte order mark, because parsing
 * must then fail as it does in container runtimes.
 */
export const utf8Text = (bytes: Uint8Array): string => decoder.decode(bytes)

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
