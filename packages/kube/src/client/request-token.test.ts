import { expect, test } from 'vitest'
import type { KubeClient } from './client.ts'
import { requestToken } from './request-token.ts'

const expires = '2026-01-01T00:00:00Z'
const jwt = `x.${Buffer.from('{"iat":100,"exp":700}').toString('base64url')}.y`

/** Token from a server with the given answer, and the requests to it. */
async function requested(answer: unknown) {
  const asked: unknown[] = []
  const client: KubeClient = {
    get: () => Promise.reject(new Error('not asked')),
    async send(request) {
      asked.push(request)
      return answer
    },
  }
  const { signal } = new AbortController()
  return {
    asked,
    token: await requestToken(client, { namespace: 'kube-system', account: 'a/b', seconds: 600, signal }),
  }
}

test("the token is for an account, and its lifetime uses the server's clock", async () => {
  const { asked, token } = await requested({ status: { token: jwt, expirationTimestamp: expires } })
  expect(token).toEqual({ token: jwt, expires: Date.parse(expires), lifeMs: 600_000 })
  expect(asked).toMatchObject([
    {
      method: 'POST',
      path: '/api/v1/namespaces/kube-system/serviceaccounts/a%2Fb/token',
      body: { document: { kind: 'TokenRequest', spec: { expirationSeconds: 600 } } },
    },
  ])
})

test("the lifetime of a token that is not a JWT uses this machine's clock", async () => {
  const { token } = await requested({ status: { token: 'opaque', expirationTimestamp: expires } })
  expect(token.lifeMs / 1000).toBeCloseTo((Date.parse(expires) - Date.now()) / 1000, -1)
})

test.each([
  [{}],
  [{ status: { token: 'a b', expirationTimestamp: expires } }],
  [{ status: { token: jwt, expirationTimestamp: 'soon' } }],
])('%j is rejected, and not quoted in the error', async (answer) => {
  await expect(requested(answer)).rejects.toMatchObject({
    code: 'BAD_ANSWER',
    message:
      'POST /api/v1/namespaces/kube-system/serviceaccounts/a%2Fb/token: the answer is not that of a TokenRequest',
  })
})
