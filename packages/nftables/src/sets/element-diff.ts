import type { SetElement } from '../rules/model.ts'

/** Compares two lists of set elements in canonical form. Returns missing and unexpected elements. */
export function diffElements(desired: readonly SetElement[], present: readonly SetElement[]) {
  const texts = (list: readonly SetElement[]) => new Set(list.map(elementKey))
  const [desiredTexts, presentTexts] = [texts(desired), texts(present)]
  return {
    missing: desired.filter((element) => !presentTexts.has(elementKey(element))),
    unexpected: present.filter((element) => !desiredTexts.has(elementKey(element))),
  }
}

const elementKey = ({ key, data, comment, timeout }: SetElement) => JSON.stringify([key, data, comment, timeout])
