import { expect, test } from 'vitest'
import { auditedRequest, countRequests } from './audit.ts'

const line = (event: object): string => JSON.stringify({ requestReceivedTimestamp: '2026-01-01T00:00:00.5Z', ...event })
const at = Date.parse('2026-01-01T00:00:00.5Z')

test('a watch counts when it begins, any other request when it is answered', () => {
  const pods = { objectRef: { resource: 'pods' }, responseStatus: { code: 200 } }
  expect(auditedRequest(line({ verb: 'watch', stage: 'ResponseStarted', ...pods }))).toEqual({
    at,
    verb: 'watch',
    resource: 'pods',
    status: 200,
  })
  expect(auditedRequest(line({ verb: 'watch', stage: 'ResponseComplete', ...pods }))).toBeUndefined()
  const token = { resource: 'serviceaccounts', subresource: 'token' }
  const created = { verb: 'create', stage: 'ResponseComplete', objectRef: token, responseStatus: { code: 429 } }
  expect(auditedRequest(line(created))).toMatchObject({ resource: 'serviceaccounts/token', status: 429 })
})

test('a line that is half written is ignored', () => {
  expect(auditedRequest('{"stage":"Resp')).toBeUndefined()
})

test('requests are counted by kind, and their peak by second', () => {
  const request = (ms: number, verb = 'watch') => ({
    at: ms,
    verb,
    resource: 'pods',
    status: verb === 'list' ? 429 : 200,
  })
  const all = [request(0), request(100), request(1999), request(2000, 'list'), request(9000)]
  expect(countRequests(all, 0, 9000)).toEqual({
    total: 4,
    peak: 2,
    refused: 1,
    kinds: { 'watch pods': 3, 'list pods 429': 1 },
  })
  expect(countRequests([], 0, 9000)).toEqual({ total: 0, peak: 0, refused: 0, kinds: {} })
})
