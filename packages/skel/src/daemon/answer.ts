/** HTTP answer of a plugin daemon. */
export interface Answer {
  readonly status: number
  readonly statusText: string
  readonly body: string
}

/** Parses an HTTP answer from all bytes that the daemon has sent. */
export function readAnswer(bytes: Uint8Array): Answer {
  if (bytes.length === 0) throw new Error('the connection was closed without an answer')
  // Latin-1 maps each byte to one character, so offsets in text and bytes are equal.
  const text = Buffer.from(bytes).toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  const [, status, statusText = ''] = /^HTTP\/1\.[01] (\d{3})(?: ([^\r\n]*))?\r\n/.exec(text) ?? []
  if (status === undefined || end < 0) throw new Error('the answer is not HTTP')
  const body = bytes.subarray(end + 4)
  const [, length] = /\r\ncontent-length: *(\d+)\r\n/i.exec(text.slice(0, end + 2)) ?? []
  if (length !== undefined && body.length < Number(length)) {
    throw new Error(`the answer ended after ${body.length} of ${length} bytes`)
  }
  return { status: Number(status), statusText, body: Buffer.from(body).toString('utf8') }
}
