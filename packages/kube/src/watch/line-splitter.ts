import { KubeError } from '../kube-error.ts'

/** Splits received bytes into lines. Ignores text after the last newline, which may be incomplete. */
export function lineSplitter(maxBytes: number, onLine: (line: string) => void): (chunk: Uint8Array) => void {
  let parts: Uint8Array[] = []
  let size = 0
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)])
      parts = []
      size = 0
      start = end + 1
      if (line.length > maxBytes) throw tooLong(maxBytes)
      if (line.length > 0) onLine(line.toString('utf8'))
    }
    if (start === chunk.length) return
    size += chunk.length - start
    if (size > maxBytes) throw tooLong(maxBytes)
    // Copies the received bytes, because the JavaScript runtime may reuse their buffer.
    parts.push(new Uint8Array(chunk.subarray(start)))
  }
}

const newline = 0x0a

const tooLong = (maxBytes: number): KubeError =>
  new KubeError('BAD_ANSWER', `the server sent a line of more than ${maxBytes} bytes`)
