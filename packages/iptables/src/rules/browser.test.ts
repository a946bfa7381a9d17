import { build } from 'esbuild'
import { expect, test } from 'vitest'

test('rulesets, their text and traces bundle for a browser without any module of Node.js', async () => {
  const contents = "export * from '@cni/iptables/rules'"
  const { metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    ...{ bundle: true, write: false, metafile: true, format: 'esm', platform: 'browser', conditions: ['@cni/source'] },
  })
  expect(metafile.outputs['stdin.js']?.bytes ?? 0).toBeGreaterThan(0)
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path))
  expect(imports.filter((path) => /^node:/.test(path))).toEqual([])
})
