import { expect, test } from 'vitest'
import { withMaps } from './map.ts'

test('a map between its markers is replaced, the text around it stays', () => {
  const page = withMaps('Before.\n\n<!-- map: packages -->\nstale text\n<!-- end -->\n\nAfter.\n')
  expect(page).toMatch(/^Before\.\n\n<!-- map: packages -->\n\| folder \|.*\|\n<!-- end -->\n\nAfter\.\n$/s)
  expect(page).toContain('| `packages/host` | `@cni/host` | run a program')
  expect(page).not.toContain('stale text')
  expect(withMaps(page)).toBe(page)
})

test('a package of which some entries are allowed has those named', () => {
  expect(withMaps('<!-- map: packages -->\n<!-- end -->\n')).toMatch(/`@cni\/installer` .* host, netns\/sys, /)
})

test('an unknown map is refused', () => {
  expect(() => withMaps('<!-- map: weather -->\n<!-- end -->\n')).toThrow('"weather"')
})
