import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { type Answer, type Asked, notFound } from './status.ts'

/** Service accounts of the test API server, with their tokens. */
export interface ServiceAccounts {
  /** Creates a service account. Replaces an earlier account of that name and invalidates its tokens. */
  set(namespace: string, name: string, lifeSeconds?: number): void
  /** Answers a TokenRequest with a new token of a service account. */
  request(asked: Asked, body: string): readonly [number, Answer]
  /** Finds the service account of a valid token, as `namespace:name`; `undefined` for an invalid token. */
  holderOf(token: string | undefined): string | undefined
}

/** Creates the test API server's store of service accounts. The store is empty at first. */
export function serviceAccounts(): ServiceAccounts {
  const lives = new Map<string, number>()
  const uids = new Map<string, string>()
  const tokens = new Map<string, { readonly account: string; readonly uid: string; readonly expires: number }>()
  const key = randomBytes(32)

  return {
    set(namespace, name, lifeSeconds) {
      uids.set(`${namespace}:${name}`, randomUUID())
      if (lifeSeconds !== undefined) lives.set(`${namespace}:${name}`, lifeSeconds)
    },
    request({ namespace, name }, body) {
      const account = `${namespace}:${name}`
      const uid = uids.get(account)
      if (uid === undefined) return [404, notFound('serviceaccounts', name)]
      const { spec = {} } = body === '' ? {} : JSON.parse(body)
      const expirationSeconds = lives.get(account) ?? spec.expirationSeconds ?? 3600
      const now = Math.floor(Date.now() / 1000)
      const claims = {
        iat: now,
        exp: now + expirationSeconds,
        jti: randomUUID(),
        sub: `system:serviceaccount:${account}`,
      }
      const text = `${encoded({ alg: 'HS256' })}.${encoded(claims)}`
      const token = `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
      tokens.set(token, { account, uid, expires: claims.exp * 1000 })
      const expirationTimestamp = new Date(claims.exp * 1000).toISOString().replace('.000Z', 'Z')
      return [
        201,
        {
          kind: 'TokenRequest',
          apiVersion: 'authentication.k8s.io/v1',
          metadata: { name, namespace },
          spec: { ...spec, expirationSeconds },
          status: { token, expirationTimestamp },
        },
      ]
    },
    holderOf(token) {
      const known = token === undefined ? undefined : tokens.get(token)
      if (known === undefined || known.expires <= Date.now() || uids.get(known.account) !== known.uid) return undefined
      return known.account
    },
  }
}

const encoded = (document: object): string => Buffer.from(JSON.stringify(document)).toString('base64url')
