import type { SetElement } from '../rules/model.ts'

/** Elements: keys alone, or with what they are mapped to, a comment, a time. */
export type Elements = readonly (SetElement | SetElement['key'])[]

/** How what a set holds differs from what is wanted. */
export interface ElementDiff {
  /** Wanted, not there; or there with another value, comment or time. */
  readonly missing: readonly SetElement[]
  /** There, not wanted; or there otherwise. */
  readonly unexpected: readonly SetElement[]
}

/** Compares two lists of elements in canonical form. */
export function diffElements(wanted: readonly SetElement[], present: readonly SetElement[]): ElementDiff {
  const texts = (list: readonly SetElement[]) => new Set(list.map(elementKey))
  const [want, have] = [texts(wanted), texts(present)]
  return {
    missing: wanted.filter((element) => !have.has(elementKey(element))),
    unexpected: present.filter((element) => !want.has(elementKey(element))),
  }
}

const elementKey = ({ key, data, comment, timeout }: SetElement) => JSON.stringify([key, data, comment, timeout])
