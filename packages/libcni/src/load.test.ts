import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TempDir, tempDir } from '../test/temp-dir.ts'
import { RuntimeError } from './errors.ts'
import { confFiles, loadConflist, loadConflistFile } from './load.ts'

let temp: TempDir
beforeEach(() => {
  temp = tempDir()
})
afterEach(() => temp[Symbol.dispose]())

const list = (name: string, type = 'bridge', more: object = {}) => ({
  cniVersion: '1.0.0',
  name,
  plugins: [{ type }],
  ...more,
})

describe('loadConflist', () => {
  test("returns the first file, sorted by name, with the network's name", () => {
    temp.write('20-b.conflist', list('pods', 'second'))
    temp.write('10-a.conflist', list('pods', 'first'))
    temp.write('05-c.conflist', list('other'))
    const found = loadConflist(temp.dir, 'pods')
    expect(found.conflist.plugins).toEqual([{ type: 'first' }])
    expect(found.file).toBe(`${temp.dir}/10-a.conflist`)
  })

  test('keeps the text of the file', () => {
    const text = '{ "name": "pods",\n  "plugins": [ {"type":"x", "big": 12345678901234567890} ] }\n'
    temp.write('a.conflist', text)
    expect(loadConflist(temp.dir, 'pods').text).toBe(text)
  })

  test('wraps a single-plugin configuration: the list gets name and version, and the plugin keeps all members', () => {
    temp.write('a.conflist', list('other'))
    temp.write('b.json', { cniVersion: '0.4.0', name: 'single', type: 'ptp', ipam: { type: 'static' } })
    const { conflist, text } = loadConflist(temp.dir, 'single')
    const plugin = { cniVersion: '0.4.0', name: 'single', type: 'ptp', ipam: { type: 'static' } }
    expect(conflist).toEqual({ cniVersion: '0.4.0', name: 'single', plugins: [plugin] })
    expect(JSON.parse(text)).toEqual(conflist)
  })

  test('prefers a list to a single-plugin configuration of the same name', () => {
    temp.write('00.conf', { name: 'pods', type: 'single' })
    temp.write('99.conflist', list('pods', 'list'))
    expect(loadConflist(temp.dir, 'pods').conflist.plugins).toEqual([{ type: 'list' }])
  })

  test('ignores other extensions and folders', () => {
    temp.write('a.conflist.bak', list('pods'))
    temp.write('b.yaml', 'name: pods')
    temp.write('c.conflist/d', 'x')
    expect(() => loadConflist(temp.dir, 'pods')).toThrow(`no net configurations found in ${temp.dir}`)
  })

  test('reports a missing folder as one without configurations', () => {
    expect(() => loadConflist('/nonexist', 'pods')).toThrow('no net configurations found in /nonexist')
    expect(confFiles('/nonexist', ['.conf'])).toEqual([])
  })

  test('reports the known names for an unknown one', () => {
    temp.write('a.conflist', list('one'))
    temp.write('b.conf', { name: 'two', type: 'x' })
    const error = caught(() => loadConflist(temp.dir, 'pods'))
    expect(error).toMatchObject({
      code: 'NOT_FOUND',
      message: `no net configuration with name "pods" in ${temp.dir}`,
      hint: 'there are: one, two',
    })
  })

  test.each([
    ['10.conflist', '{"name":', /10\.conflist: error parsing configuration list: /],
    ['10.conflist', '', /10\.conflist: error parsing configuration list: unexpected end of JSON input/],
    ['10.conflist', { name: 'x' }, /10\.conflist: no plugin configs found$/],
    ['10.conflist', { name: 'x', plugins: [] }, /10\.conflist: .*no plugins in list/],
    ['10.conflist', { name: 'x', plugins: [{}] }, /10\.conflist: .*failed to parse plugin config 0: missing 'type'/],
    ['10.conf', { name: 'x' }, /10\.conf: error parsing configuration: missing 'type'/],
  ])('stops at an earlier invalid file and names it: %s %j', (name, content, message) => {
    temp.write(name, content)
    temp.write('20.conflist', list('pods'))
    temp.write('20.conf', { name: 'single', type: 'x' })
    const wanted = name.endsWith('.conf') ? 'single' : 'pods'
    expect(caught(() => loadConflist(temp.dir, wanted))).toMatchObject({ code: 'INVALID_CONFIG' })
    expect(() => loadConflist(temp.dir, wanted)).toThrow(message)
    const skipped: string[] = []
    const found = loadConflist(temp.dir, wanted, { skipInvalid: true, onInvalid: (file) => skipped.push(file) })
    expect(found.conflist.name).toBe(wanted)
    expect(skipped).toEqual([`${temp.dir}/${name}`])
  })
})

describe('the plugin folder of a list', () => {
  test('adds its *.conf files, sorted by name, and no other files', () => {
    temp.write('a.conflist', list('pods', 'inline'))
    temp.write('pods/20.conf', { type: 'second' })
    temp.write('pods/10.conf', { type: 'first' })
    temp.write('pods/30.json', { type: 'json' })
    temp.write('pods/40.conflist', list('x'))
    expect(types()).toEqual(['inline', 'first', 'second'])
  })

  test('is sufficient for a list without inline plugins', () => {
    temp.write('a.conflist', { cniVersion: '1.1.0', name: 'pods' })
    temp.write('pods/10.conf', { type: 'first' })
    expect(types()).toEqual(['first'])
  })

  test.each([true, 'TRUE'])('is ignored with loadOnlyInlinedPlugins %j', (flag) => {
    temp.write('a.conflist', list('pods', 'inline', { loadOnlyInlinedPlugins: flag }))
    temp.write('pods/10.conf', 'not even JSON')
    expect(types()).toEqual(['inline'])
  })

  test('is checked, and an invalid file is named', () => {
    temp.write('a.conflist', list('pods'))
    const bad = temp.write('pods/10.conf', { name: 'no type' })
    expect(() => types()).toThrow(`${bad}: error parsing configuration: missing 'type'`)
  })

  test.each(['../pods', '..', '.', '', 'a/b'])('is not used for a network named %j', (name) => {
    temp.write('sub/a.conflist', list(name, 'inline'))
    temp.write('pods/10.conf', { type: 'outside' })
    temp.write('sub/x.conf', { type: 'beside' })
    temp.write('sub/a/b/x.conf', { type: 'below' })
    expect(loadConflistFile(`${temp.dir}/sub/a.conflist`).conflist.plugins).toEqual([{ type: 'inline' }])
  })

  const types = () => loadConflistFile(`${temp.dir}/a.conflist`).conflist.plugins.map(({ type }) => type)
})

test('an unreadable file is named', () => {
  expect(() => loadConflistFile('/nonexist/a.conflist')).toThrow('error reading /nonexist/a.conflist: ENOENT')
})

function caught(body: () => unknown): unknown {
  try {
    body()
  } catch (error) {
    expect(error).toBeInstanceOf(RuntimeError)
    return error
  }
  throw new Error('nothing was thrown')
}
