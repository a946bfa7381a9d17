import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { scriptFolder } from '../../../invoke/test/script-folder.ts'
import { cnitoolWorld } from '../../test/cnitool-world.ts'

const world = cnitoolWorld()
const { cnitool } = world

describe('explain', () => {
  test('prints shell commands that run with any configuration', async () => {
    using bin = scriptFolder()
    bin.script('rec plug', `cat >"${bin.dir}/$CNI_COMMAND"; printf '%s' "$CNI_ARGS" >"${bin.dir}/args"`)
    const evil = "it's $(touch /nonexist) `x` \n# EOF \\"
    const plugins = [{ type: 'rec plug', evil, name: 'x\nEOF\ntouch y' }]
    const file = world.temp.write('evil.conflist', { cniVersion: '1.0.0', name: 'evil', plugins })
    const env = { CNI_ARGS: "A=it's;B=$(x)" }
    const { stdout } = await cnitool(['explain', 'add', '--conf', file, '/ns/1'], { env, plugins: { 'rec plug': {} } })
    const script = stdout.replace("'/fake/rec plug'", `'${bin.dir}/rec plug'`)
    const { status, stderr } = spawnSync('sh', ['-eu', '-c', script], { cwd: bin.dir, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(readFileSync(`${bin.dir}/ADD`, 'utf8'))).toMatchObject({ evil, name: 'evil' })
    expect(readFileSync(`${bin.dir}/args`, 'utf8')).toBe(env.CNI_ARGS)
    expect(readdirSync(bin.dir).sort()).toEqual(['ADD', 'args', 'rec plug'])
  })
})
