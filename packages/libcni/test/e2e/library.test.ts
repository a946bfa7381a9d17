import { chmodSync, readFileSync } from 'node:fs'
import { realExec } from '@cni/invoke'
import { netns } from '@cni/netns'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cni } from '../../src/cni.ts'
import { loadConflist } from '../../src/load.ts'
import { bridged } from './conflists.ts'
import { missing, PLUGINS, type World, world } from './node-world.ts'

describe.runIf(missing === undefined)(`the library with real plugins${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let w: World
  beforeEach(async () => {
    w = await world()
  })
  afterEach(() => w[Symbol.asyncDispose]())

  test('runs a chain in another namespace, and keeps unknown members in ADD, CHECK and DEL', async () => {
    // Adds a member to its prevResult, and logs its calls.
    w.files.write(
      'bin/marker',
      `#!/bin/sh
cat >"${w.files.dir}/$CNI_COMMAND.json"
[ "$CNI_COMMAND" = ADD ] && sed 's/.*"prevResult":{\\(.*\\)},"type":"marker"}$/{"vendor":{"kept":true},\\1}/' "${w.files.dir}/ADD.json"
exit 0
`,
    )
    chmodSync(`${w.files.dir}/bin/marker`, 0o755)
    w.files.write('net.d/10.conflist', bridged(`${w.files.dir}/leases`, [{ type: 'marker' }]))

    const runtime = cni({
      path: [PLUGINS, `${w.files.dir}/bin`],
      cacheDir: `${w.files.dir}/cache`,
      exec: realExec({ start: (argv, options) => netns.start(w.node, argv, options) }),
      timeout: 30_000,
    })
    const list = loadConflist(`${w.files.dir}/net.d`, 'bridged')
    const rt = { containerID: 'c1', netns: w.pod.path, ifName: 'eth0' }

    const { document, result } = await runtime.add(list, rt)
    expect(document.vendor).toEqual({ kept: true })
    expect(result.interfaces).toMatchObject([{ name: 'cni-e2e0' }, {}, { name: 'eth0', sandbox: w.pod.path }])
    expect(await w.ip(w.node, 'link', 'show', 'dev', 'cni-e2e0')).toMatchObject([{ ifname: 'cni-e2e0' }])
    expect(runtime.attachments('c1')).toMatchObject([{ network: 'bridged', ifName: 'eth0', config: list.text }])

    await runtime.check(list, rt)
    await runtime.del(list, rt)
    for (const verb of ['CHECK', 'DEL']) {
      const conf = JSON.parse(readFileSync(`${w.files.dir}/${verb}.json`, 'utf8'))
      expect(conf.prevResult).toEqual(document)
    }
    expect(runtime.attachments()).toEqual([])
    expect(await w.ip(w.pod, 'link', 'show')).toMatchObject([{ ifname: 'lo' }])
  })
})
