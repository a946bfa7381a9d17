import { definePlugin, netConf } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { CNI_VERSIONS } from '@cni/types'
import { describe, expect, it } from 'vitest'
import * as classic from 'zod'

const add = () => ({})
const schema = classic.object({})
/** Passes a definition as a JavaScript caller does. */
const untyped = (definition: unknown) => definePlugin(definition as Parameters<typeof definePlugin>[0])

describe('an invalid definition throws an error that explains it', () => {
  it.each<[definition: unknown, message: string]>([
    [undefined, 'definePlugin: expected a plugin, got undefined'],
    [add, 'definePlugin: expected a plugin, got a function'],
    [{ add }, 'definePlugin: name: expected a string, got undefined'],
    [{ name: 5, add }, 'definePlugin: name: expected a string, got 5'],
    [{ name: '', add }, 'definePlugin: name: expected the name of an executable, got ""'],
    [{ name: '..', add }, 'definePlugin: name: expected the name of an executable, got ".."'],
    [{ name: 'bin/tag', add }, 'definePlugin: name: expected the name of an executable, got "bin/tag"'],
    [{ name: 'a\0b', add }, 'definePlugin: name: expected the name of an executable, got "a\\u0000b"'],
    [{ name: 'a b\n', add }, 'definePlugin: name: expected the name of an executable, got "a b\\n"'],
  ])('%j', (definition, message) => {
    expect(() => untyped(definition)).toThrow(new TypeError(message))
  })

  it.each<[member: string, value: unknown, message: string]>([
    ['add', undefined, 'expected a function, got undefined'],
    ['add', {}, 'expected a function, got an object'],
    ['check', 'yes', 'expected a function, got "yes"'],
    ['del', null, 'expected a function, got null'],
    ['gc', true, 'expected a function, got true'],
    ['status', [], 'expected a function, got an array'],
    ['log', { level: 'debug' }, 'expected a function, got an object'],
    ['about', 5, 'expected a string, got 5'],
    ['about', 'tags pods\nand more', 'expected one line, got "tags pods\\nand more"'],
    ['versions', '1.1.0', 'expected a list of versions, got "1.1.0"'],
    ['versions', [], `expected at least one of ${CNI_VERSIONS.join(', ')}`],
    ['versions', ['1.0.0', '1.1'], `expected some of ${CNI_VERSIONS.join(', ')}, got "1.1"`],
    ['versions', ['2.0.0'], `expected some of ${CNI_VERSIONS.join(', ')}, got "2.0.0"`],
    ['versions', ['1.0.0', '1.0.0'], 'expected each version once, got "1.0.0"'],
    ['chained', 'true', 'expected a boolean, got "true"'],
    ['goCompat', 1, 'expected a boolean, got 1'],
    ['timeout', 0, 'expected milliseconds from 1 to 2147483647, got 0'],
    ['timeout', 0.5, 'expected milliseconds from 1 to 2147483647, got 0.5'],
    ['timeout', Number.NaN, 'expected milliseconds from 1 to 2147483647, got NaN'],
    ['timeout', Number.POSITIVE_INFINITY, 'expected milliseconds from 1 to 2147483647, got Infinity'],
    ['timeout', 2 ** 31, 'expected milliseconds from 1 to 2147483647, got 2147483648'],
    ['timeout', '5000', 'expected milliseconds from 1 to 2147483647, got "5000"'],
    ['args', 'Strict', 'expected tolerant, strict or the kinds of more keys, got "Strict"'],
    ['args', ['POLICY'], 'expected tolerant, strict or the kinds of more keys, got an array'],
    ['args', { POLICY: 'text' }, 'POLICY: expected string, ip or boolean, got "text"'],
    ['config', {}, 'expected a zod 4 schema, got an object'],
    ['config', null, 'expected a zod 4 schema, got null'],
    ['config', { plain: () => true, schema: 5 }, 'expected a zod 4 schema, got an object'],
    ['removal', 'never', 'expected last, own or always, got "never"'],
    ['state', schema, 'expected attachmentState(…), got an object'],
  ])('%s: %j', (member, value, message) => {
    const where = `definePlugin: tag: ${member}`
    const text = message.startsWith('POLICY') ? `${where}.${message}` : `${where}: ${message}`
    expect(() => untyped({ name: 'tag', add, [member]: value })).toThrow(new TypeError(text))
  })

  it.each([
    ['delete', 'definePlugin: tag: delete is not a member of a plugin, did you mean del?'],
    ['Check', 'definePlugin: tag: Check is not a member of a plugin, did you mean check?'],
    ['STATUS', 'definePlugin: tag: STATUS is not a member of a plugin, did you mean status?'],
    ['timeoutMs', 'definePlugin: tag: timeoutMs is not a member of a plugin, did you mean timeout?'],
    ['version', 'definePlugin: tag: version is not a member of a plugin, did you mean versions?'],
    [
      'onReady',
      'definePlugin: tag: onReady is not a member of a plugin: name, about, release, versions, timeout, config, state, args, removal, add, check, del, gc, status, log, chained, goCompat',
    ],
  ])('the unknown member %s', (member, message) => {
    expect(() => untyped({ name: 'tag', add, [member]: () => {} })).toThrow(new TypeError(message))
  })
})

describe('a valid definition is returned unchanged', () => {
  it.each<[string, Record<string, unknown>]>([
    [
      'with everything',
      { about: 'tags pods', versions: ['0.4.0'], chained: true, timeout: 1, goCompat: false, log: add },
    ],
    ['with a schema', { config: netConf({}) }],
    ['with a schema of classic zod', { config: classic.object({}) }],
    ['with strict arguments', { args: 'strict' }],
    ['with more arguments', { args: { POLICY: 'string', GATEWAY: 'ip', FORCE: 'boolean' } }],
    ['with members that are undefined', { about: undefined, check: undefined, timeout: undefined, args: undefined }],
    ['with a minimum version', { versions: CNI_VERSIONS.slice(4) }],
  ])('%s', (_title, members) => {
    const definition = { name: 'tag', add, ...members }
    expect(untyped(definition)).toBe(definition)
  })

  it('an instance of a class with further members', async () => {
    class Tag {
      readonly name = 'tag'
      readonly zone = 'z1'
      add() {
        return { dns: { domain: this.zone } }
      }
    }
    const { result } = await testPlugin(definePlugin(new Tag())).add()
    expect(result?.dns).toEqual({ domain: 'z1' })
  })
})
