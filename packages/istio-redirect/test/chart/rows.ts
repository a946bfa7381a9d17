import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import type { Difference } from './manifest.ts'

const rowSchema = z.strictObject({
  object: z.string(),
  /** Path of the differing value; `*` matches any text. */
  path: z.string(),
  istio: z.optional(z.unknown()),
  ours: z.optional(z.unknown()),
  why: z.string(),
})
const file = fileURLToPath(new URL('../../deploy/differences.yaml', import.meta.url))
/** Documented differences between Istio's chart and ours: the rows of differences.yaml. */
export const rows = z.parse(z.array(rowSchema), parse(readFileSync(file, 'utf8')))
export type Row = (typeof rows)[number]

/** True if a row of differences.yaml documents the difference between the charts. */
export function explains(row: Row, { object, path, istio, ours }: Difference): boolean {
  return fits(row.object, object) && fits(row.path, path) && isSide(row.istio, istio) && isSide(row.ours, ours)
}

const isSide = (said: unknown, value: unknown): boolean =>
  said === '*' ? value !== undefined : JSON.stringify(said) === JSON.stringify(value)

function fits(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.[\]\\/+?^${}()|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(text)
}
