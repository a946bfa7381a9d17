import fc from 'fast-check'

/** A JSON document of which a few members, anywhere in it, are something else, gone, or new. */
export function tampered(document: object): fc.Arbitrary<unknown> {
  const change = fc.record({
    path: fc.constantFrom(...paths(document)),
    member: fc.oneof(fc.constant(undefined), fc.constantFrom('name', 'unknown', '__proto__', '0')),
    text: fc.oneof(fc.constant(undefined), fc.constantFrom(...odd), fc.json({ maxDepth: 2 })),
  })
  return fc.array(change, { maxLength: 3 }).map((changes) => {
    let text = JSON.stringify(document)
    for (const { path, member, text: value } of changes)
      text = replaced(text, member === undefined ? path : [...path, member], value)
    return JSON.parse(text)
  })
}

// internal

const odd = [
  'null',
  '""',
  '"a"',
  '0',
  '-1',
  '1.5',
  '1e99',
  'true',
  '[]',
  '{}',
  '[null]',
  '["a"]',
  '{"a":1}',
  '{"a":"b"}',
  '{"__proto__":"b"}',
  '{"name":"a"}',
  '[{"name":"a"}]',
]

/** Of each object, list and value in it. */
function paths(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...at]]
  return [[...at], ...Object.entries(value).flatMap(([key, member]) => paths(member, [...at, key]))]
}

/** By text, which can have what an object literal cannot. */
function replaced(text: string, path: readonly string[], value: string | undefined): string {
  const [key, ...rest] = path
  if (key === undefined) return value ?? 'null'
  const document: unknown = JSON.parse(text)
  if (typeof document !== 'object' || document === null) return text
  const before = Object.getOwnPropertyDescriptor(document, key)?.value
  const inner = rest.length === 0 ? value : replaced(JSON.stringify(before ?? null), rest, value)
  if (Array.isArray(document)) {
    const items = document.flatMap((item: unknown, index) => {
      if (String(index) !== key) return [JSON.stringify(item)]
      return inner === undefined ? [] : [inner]
    })
    return `[${items.join()}]`
  }
  const members = Object.entries(document).flatMap(([name, member]) =>
    name === key ? [] : [`${JSON.stringify(name)}:${JSON.stringify(member)}`],
  )
  if (inner !== undefined) members.push(`${JSON.stringify(key)}:${inner}`)
  return `{${members.join()}}`
}
