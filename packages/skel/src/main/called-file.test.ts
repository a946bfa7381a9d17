import { expect, test } from 'vitest'
import { calledFile } from './called-file.ts'

test.each([
  ['a script', ['/usr/bin/node', '/opt/cni/bin/tag'], 'node', '/usr/bin/node', '/opt/cni/bin/tag'],
  ['an executable', ['bun', '/$bunfs/root/tag'], '/opt/cni/bin/tag', '/opt/cni/bin/tag', '/opt/cni/bin/tag'],
  ['a link to an executable', ['bun', '/$bunfs/root/tag'], '/opt/cni/bin/tag', '/usr/lib/all', '/opt/cni/bin/tag'],
  ['an executable in PATH', ['bun', '/$bunfs/root/tag'], 'tag', '/usr/bin/tag', '/usr/bin/tag'],
  ['an executable of Node', ['/usr/lib/all', '/usr/lib/all'], '/opt/cni/bin/tag', '/usr/lib/all', '/opt/cni/bin/tag'],
])('%s has the path it was called by', (_, argv, argv0, execPath, file) => {
  expect(calledFile({ argv, argv0, execPath })).toBe(file)
})
