/**
 * Decodes a configuration file as UTF-8; also works in a browser. Keeps a byte order mark: runtimes reject a file with
 * one.
 */
export const utf8Text = (bytes: Uint8Array): string => decoder.decode(bytes)

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
