/** Text of a file; also works in a browser. Keeps a byte order mark, with which no runtime accepts a configuration. */
export const utf8Text = (bytes: Uint8Array): string => decoder.decode(bytes)

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
