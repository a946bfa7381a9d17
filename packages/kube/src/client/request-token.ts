import * as z from 'zod/mini'
import { KubeError } from '../kube-error.ts'
import type { KubeClient } from './client.ts'

/**
 * Requests a token of a service account, not bound to a pod. Needs the permission `create` on `serviceaccounts/token`.
 * Throws `KubeError`.
 */
export async function requestToken(
  client: KubeClient,
  request: {
    readonly namespace: string
    /** Name of the service account whose token is requested. */
    readonly account: string
    /** Requested lifetime of the token in seconds. The API server may choose another lifetime. */
    readonly seconds: number
    readonly signal: AbortSignal
  },
): Promise<{
  readonly token: string
  /** End of the token's validity in milliseconds since 1970, by the API server's clock. */
  readonly expires: number
  /** Lifetime of the token in milliseconds. Uses this machine's clock if the token lacks its creation time. */
  readonly lifeMs: number
}> {
  const { namespace, account, seconds, signal } = request
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${encodeURIComponent(account)}/token`
  const document = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: seconds },
  }
  const answer = await client.send({ method: 'POST', path, body: { type: 'application/json', document } }, { signal })
  const parsed = answerSchema.safeParse(answer)
  const expires = parsed.success ? Date.parse(parsed.data.status.expirationTimestamp) : Number.NaN
  // The error does not quote the invalid answer, because the answer may contain most of a token.
  if (!parsed.success || Number.isNaN(expires) || !/^[!-~]+$/.test(parsed.data.status.token)) {
    throw new KubeError('BAD_ANSWER', `POST ${path}: the answer is not that of a TokenRequest`)
  }
  const { token } = parsed.data.status
  return { token, expires, lifeMs: lifeOf(token, expires) }
}

// internal

const answerSchema = z.object({ status: z.object({ token: z.string(), expirationTimestamp: z.string() }) })
const claimsSchema = z.object({ iat: z.number(), exp: z.number() })

/** Computes a token's lifetime from the times in the token, because this machine's clock may be wrong. */
function lifeOf(token: string, expires: number): number {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')
    const { iat, exp } = z.parse(claimsSchema, JSON.parse(payload))
    return (exp - iat) * 1000
  } catch {
    // Uses this machine's clock, because a token without JWT format has no creation time.
    return expires - Date.now()
  }
}
