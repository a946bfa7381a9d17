import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { readBody } from './read-body.ts'

it('a request that does not end in time is too late, and stays open for an answer', async () => {
  const request = new IncomingMessage(new Socket())
  request.push('{"env"')
  expect(await readBody(request, 100, 1)).toBe('too late')
  expect(request.destroyed).toBe(false)
})

it('a request that ends returns its text, or is too large', async () => {
  const sent = (text: string): IncomingMessage => {
    const request = new IncomingMessage(new Socket())
    request.push(text)
    request.push(null)
    return request
  }
  expect(await readBody(sent('{}'), 2)).toBe('{}')
  expect(await readBody(sent('{ }'), 2)).toBe('too large')
})
