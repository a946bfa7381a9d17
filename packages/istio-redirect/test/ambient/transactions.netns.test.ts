import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { findExecutable } from '@cni/host'
import { openNft } from '@cni/nftables/wire'
import { expect, test, vi } from 'vitest'
import { mode } from '../../../istio-rules/test/ambient-pods.ts'
import { capturedBy, settingsFor } from './backends.ts'
import { meshNode, type TestPod } from './mesh-node.ts'
import { annotated } from './served-node.ts'

/** The number of transactions that changed the rules of a namespace, of both families. */
const transactions = ({ netns }: TestPod): number => {
  using nft = openNft(netns)
  return nft.generation() - 1
}

test.each(['iptables-nft', 'nftables'] as const)(
  'a pod joins, follows its annotations and leaves in one transaction each, by %s',
  async (backend) => {
    await using node = await meshNode(settingsFor(backend))
    await node.start()
    node.ztunnel()
    const pod = await node.pod({ name: 'web' })
    await annotated(pod, 'enabled')
    expect(transactions(pod)).toBe(1)
    // The plugin sends its event, too: nothing differs, so nothing is written.
    expect((await node.hand(pod)).status).toBe(200)
    expect(transactions(pod)).toBe(1)
    pod.change({ annotations: { 'ambient.istio.io/bypass-inbound-capture': 'true' } })
    expect((await node.hand(pod)).status).toBe(200)
    expect(transactions(pod)).toBe(2)
    pod.change({ labels: { [mode]: 'none' } })
    await annotated(pod, undefined)
    expect(await capturedBy(pod.netns, backend)).toBe('no')
    expect(transactions(pod)).toBe(3)
  },
)

test('legacy iptables: a pod joins and leaves with one restore of each family and no other write', async () => {
  using programs = countedPrograms()
  vi.stubEnv('PATH', `${programs.folder}${delimiter}${process.env.PATH}`)
  try {
    await using node = await meshNode(settingsFor('iptables-legacy'))
    await node.start()
    node.ztunnel()
    const pod = await node.pod({ name: 'web' })
    await annotated(pod, 'enabled')
    programs.forget()
    pod.change({ labels: { [mode]: 'none' } })
    await annotated(pod, undefined)
    expect(programs.ran()).toEqual(['ip6tables-legacy-restore', 'iptables-legacy-restore'])
    programs.forget()
    pod.change({ labels: { [mode]: 'ambient' } })
    await annotated(pod, 'enabled')
    expect(programs.ran()).toEqual(['ip6tables-legacy-restore', 'iptables-legacy-restore'])
  } finally {
    vi.unstubAllEnvs()
  }
})

/** Wrappers of the legacy programs that write rules, in a folder for PATH. They count their runs. */
function countedPrograms() {
  const folder = mkdtempSync(join(tmpdir(), 'cni-programs-'))
  const log = join(folder, 'log')
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(log, '')
  for (const stem of ['iptables', 'ip6tables']) {
    for (const name of [`${stem}-legacy`, `${stem}-legacy-restore`]) {
      const file = join(bin, name)
      writeFileSync(file, `#!/bin/sh\necho "$0" >> ${log}\nexec ${findExecutable(name)} "$@"\n`)
      chmodSync(file, 0o755)
    }
  }
  return {
    folder: bin,
    forget: () => writeFileSync(log, ''),
    ran: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => basename(line))
        .sort(),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}
