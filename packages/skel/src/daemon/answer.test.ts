import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readAnswer } from './answer.ts'

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

it.each([
  ['with its length', `${HEAD}Content-Length: 4\r\n\r\n{"ä`, { status: 200, statusText: 'OK', body: '{"ä' }],
  ['without a length', `${HEAD}\r\n{}`, { status: 200, statusText: 'OK', body: '{}' }],
  ['without a reason phrase', 'HTTP/1.0 503\r\n\r\n', { status: 503, statusText: '', body: '' }],
  ['with blank lines in its body', `${HEAD}\r\na\r\n\r\nb`, { status: 200, statusText: 'OK', body: 'a\r\n\r\nb' }],
])('an answer %s is parsed', (_title, text, answer) => {
  expect(readAnswer(Buffer.from(text))).toEqual(answer)
})

it.each([
  ['nothing', '', 'the connection was closed without an answer'],
  ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n', 'the answer is not HTTP'],
  ['half a head', HEAD, 'the answer is not HTTP'],
  ['half a body', `${HEAD}content-length: 10\r\n\r\n{"a"`, 'the answer ended after 4 of 10 bytes'],
])('%s is an error', (_title, text, message) => {
  expect(() => readAnswer(Buffer.from(text))).toThrow(message)
})

it('any body is received as it was sent', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const sent = Buffer.concat([Buffer.from(`${HEAD}content-length: ${bytes.length}\r\n\r\n`), bytes])
      expect(readAnswer(sent).body).toBe(Buffer.from(bytes).toString('utf8'))
    }),
  )
})
