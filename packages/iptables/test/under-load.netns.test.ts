import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { tempNetns } from '@cni/netns/testing'
import { openNft } from '@cni/nftables/wire'
import { expect, test } from 'vitest'
import { NODE_FLAGS } from '../../../test/node.ts'

const program = new URL('./fixtures/write-many.ts', import.meta.url).pathname

test('200 pods are added at the same time, by 8 processes, in one namespace', { timeout: 180_000 }, async () => {
  await using node = await tempNetns()
  const run = promisify(execFile)
  const failed = await Promise.all(
    Array.from({ length: 8 }, async (_, who) => {
      const { stdout } = await run(process.execPath, [...NODE_FLAGS, program, node.path, `${who}`, '25'])
      return JSON.parse(stdout) as string[]
    }),
  )
  expect(failed.flat()).toEqual([])
  using nft = openNft(node)
  const chains = nft.chains({ family: 'ip', table: 'nat' }).filter(({ chain }) => chain.startsWith('POD-'))
  const jumps = nft.rules({ family: 'ip', table: 'nat', chain: 'OUTPUT' })
  expect([chains.length, jumps.length]).toEqual([200, 200])
})
