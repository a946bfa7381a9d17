import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tarballsIn } from './tarballs.ts'

it('finds packages by the names of their tarballs, also names with digits', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tarballs-'))
  const files = ['cni-skel-0.1.0.tgz', 'cni-runtime-linux-x64-0.2.0-next.1.tgz', 'create-cni-plugin-0.1.0.tgz', 'notes']
  for (const file of files) writeFileSync(join(folder, file), '')
  expect(tarballsIn(folder)).toEqual({
    '@cni/runtime-linux-x64': `file:${folder}/cni-runtime-linux-x64-0.2.0-next.1.tgz`,
    '@cni/skel': `file:${folder}/cni-skel-0.1.0.tgz`,
  })
  rmSync(folder, { recursive: true })
})
