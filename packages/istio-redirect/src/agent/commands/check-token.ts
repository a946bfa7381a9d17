import { statSync } from 'node:fs'
import { readRegularFile } from '@cni/host'
import { errnoOf, messageOf } from '@cni/types'
import * as z from 'zod/mini'
import type { Check } from './checks.ts'

const MAX_BYTES = 1024 * 1024
const claims = z.object({ exp: z.number() })

/**
 * Service account token to check: the agent's token, which kubelet renews, or the plugin's token, which the agent
 * renews.
 */
export type TokenKind = keyof typeof KINDS

/** Checks that a service account token exists and is not expired. The output never contains the token. */
export function checkToken(path: string, now: number, kind: TokenKind = 'agent'): Check {
  const { name, by, next } = KINDS[kind]
  const check = (state: Check['state'], detail: string): Check => ({
    name,
    state,
    subject: path,
    detail,
    ...(state === 'fail' ? { next } : {}),
  })
  let token: string
  let age: string
  try {
    token = readRegularFile(path, MAX_BYTES).trim()
    age = `${duration(now - statSync(path).mtimeMs)} old`
  } catch (error) {
    return check('fail', errnoOf(error) === 'ENOENT' ? 'it does not exist' : messageOf(error))
  }
  if (token === '') return check('fail', 'it is empty')
  const expiry = expiryOf(token)
  if (expiry === undefined) return check('ok', age)
  if (expiry <= now) return check('fail', `${age}, expired ${duration(now - expiry)} ago: ${by} does not renew it`)
  return check('ok', `${age}, valid for ${duration(expiry - now)}`)
}

const KINDS = {
  agent: {
    name: 'token',
    by: 'kubelet',
    next: 'kubelet mounts and renews the token: check the service account of this pod and --service-account-dir',
  },
  plugin: {
    name: 'credential',
    by: 'the agent',
    next: 'the agent requests the plugin\'s token: check that the service account of --plugin-service-account exists and that the agent may "create" serviceaccounts/token of that name',
  },
} as const

function expiryOf(token: string): number | undefined {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')
    return z.parse(claims, JSON.parse(payload)).exp * 1000
  } catch {
    // A service account token that is not a JWT has no readable expiry.
    return undefined
  }
}

/** Formats a time span in its largest unit, such as `3 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const units: [number, string][] = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
  ]
  for (const [size, unit] of units) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`
  return `${seconds} s`
}
