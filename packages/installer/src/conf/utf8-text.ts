/** The text of a file, in a browser as well. A byte order mark stays: no runtime reads a configuration that has one. */
export const utf8Text = (bytes: Uint8Array): string => decoder.decode(bytes)

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
