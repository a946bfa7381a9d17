/**
 * Decodes a configuration file as UTF-8; also works in a browser. Keeps a byte order mark, so that parsing fails.
 * Reason: runtimes reject such a file too.
 */
export const utf8Text = (bytes: Uint8Array): string => decoder.decode(bytes)

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
