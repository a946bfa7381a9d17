import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { projectFiles } from './project.ts'

const example = fileURLToPath(new URL('../../../docs/examples/ipam/', import.meta.url))

test('the IPAM project contains the plugin of the guide', () => {
  const files = projectFiles({ name: 'node-ipam', kind: 'ipam', rules: undefined, agent: false })
  const paths = [...readdirSync(`${example}src`).map((name) => `src/${name}`), 'test/plugin.netns.test.ts']
  for (const path of paths) expect(files.get(path), path).toBe(readFileSync(example + path, 'utf8'))
})
