import { readFileSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ScriptFolder, scriptFolder } from '../test/script-folder.ts'
import { delegate } from './delegate.ts'
import { realExec } from './real-exec.ts'

let bin: ScriptFolder
beforeEach(() => {
  bin = scriptFolder()
})
afterEach(() => bin[Symbol.dispose]())

/** Installs a plugin that supports one version and does not name it in its refusals. It logs its calls. */
const install = (version: string) =>
  bin.script(
    'local',
    `conf=$(cat); echo $CNI_COMMAND >>${bin.dir}/log
case "$CNI_COMMAND$conf" in
VERSION*) printf '{"cniVersion":"${version}","supportedVersions":["${version}"]}' ;;
*'"cniVersion":"${version}"'*) [ $CNI_COMMAND = ADD ] && printf '{"cniVersion":"${version}"}'; exit 0 ;;
*) printf '{"code":1,"msg":"incompatible CNI versions"}'; exit 1 ;;
esac`,
  )
const local = (options = {}) =>
  delegate(
    'local',
    { raw: '{"cniVersion":"1.1.0","name":"net"}', env: { PATH: '/usr/bin:/bin', CNI_PATH: bin.dir } },
    { ...options, timeout: 20_000 },
  )
/** Calls of the plugin since the last check. */
const asked = () => {
  const lines = readFileSync(`${bin.dir}/log`, 'utf8').trim().split('\n')
  rmSync(`${bin.dir}/log`)
  return lines
}

test('the versions of a delegate are queried once per file, and again after the file changed', async () => {
  install('1.0.0')
  await local().add()
  expect(asked()).toEqual(['ADD', 'VERSION', 'ADD'])
  await local().del()
  expect(asked()).toEqual(['DEL'])
  expect(await local().status()).toMatchObject({ kind: 'skipped' })
  expect(() => asked()).toThrow('ENOENT')

  install('1.1.0')
  expect(await local().status()).toEqual({ kind: 'done', cniVersion: '1.1.0' })
  expect(asked()).toEqual(['VERSION', 'STATUS'])
  await local().gc()
  expect(asked()).toEqual(['GC'])
})

test('an Exec does not use the versions that another Exec has learned', async () => {
  install('1.0.0')
  const exec = realExec()
  await local({ exec }).del()
  expect(asked()).toEqual(['DEL', 'VERSION', 'DEL'])
  await local({ exec }).del()
  expect(asked()).toEqual(['DEL'])
  await local({ exec: realExec() }).del()
  expect(asked()).toEqual(['DEL', 'VERSION', 'DEL'])
})
