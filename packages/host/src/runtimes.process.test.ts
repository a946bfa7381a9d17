import { createRequire } from 'node:module'
import { run } from '@cni/host'
import { expect, test } from 'vitest'

const fixture = new URL('../test/fixtures/behaviour.ts', import.meta.url).pathname
const bun = createRequire(import.meta.url)
  .resolve('@oven/bun-linux-x64-baseline/package.json')
  .replace('package.json', 'bin/bun')

test('Bun and Node.js start, end and report programs in the same way', async () => {
  const [onNode, onBun] = await Promise.all(
    [process.execPath, bun].map(async (runtime) => {
      const { stdout } = await run([runtime, '--conditions=@cni/source', fixture], { timeout: 20_000 })
      return JSON.parse(stdout, (_, value) =>
        typeof value === 'string' ? value.replace(/cni-host-\w+/, 'FOLDER') : value,
      )
    }),
  )
  expect(onNode).toMatchObject({
    success: { stdout: 'in', stderr: 'err\n', exitCode: 0 },
    failure: { code: 'EXIT', exitCode: 3 },
    timeout: { code: 'TIMEOUT', stdout: 'started\n', signal: 'SIGTERM' },
    busy: { code: 'BUSY' },
    inherited: { exitCode: 0 },
    received: 'to-us\n',
    heldPipes: { stdout: 'done\n', exitCode: 0 },
    ownGroup: true,
    mode: 0o666,
    files: ['busy', 'plain'],
  })
  expect(onBun).toEqual(onNode)
}, 30_000)
