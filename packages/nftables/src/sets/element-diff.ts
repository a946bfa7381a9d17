import type { SetElement } from '../rules/model.ts'

/** Compares two lists of set elements in canonical form. Returns missing and unexpected elements. */
export function diffElements(wanted: readonly SetElement[], present: readonly SetElement[]) {
  const texts = (list: readonly SetElement[]) => new Set(list.map(elementKey))
  const [want, have] = [texts(wanted), texts(present)]
  return {
    missing: wanted.filter((element) => !have.has(elementKey(element))),
    unexpected: present.filter((element) => !want.has(elementKey(element))),
  }
}

const elementKey = ({ key, data, comment, timeout }: SetElement) => JSON.stringify([key, data, comment, timeout])
