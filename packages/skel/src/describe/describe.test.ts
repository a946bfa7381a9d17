import { attachmentState, definePlugin, describe as describer, netConf, runtimeConfig } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { helpText } from './help.ts'
import { jsonSchema } from './json-schema.ts'

const plugin = definePlugin({
  name: 'redirect',
  about: 'sends connections to a proxy',
  chained: true,
  config: netConf({
    port: z.int().check(z.positive(), z.describe('where the proxy listens')),
    mode: z._default(z.enum(['tcp', 'udp']), 'tcp'),
    exempt: z.optional(z.array(z.ipv4())),
  }),
  add: (c) => c.prevResult,
  del() {},
})
const bare = definePlugin({ name: 'bare', versions: ['1.0.0'], add: () => ({}) })

describe('the JSON Schema of a configuration', () => {
  it('has the members of the plugin and the standard ones, with the types of the input', async () => {
    const schema = await jsonSchema(plugin)
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'redirect',
      description: 'sends connections to a proxy',
      type: 'object',
      properties: {
        port: { type: 'integer', exclusiveMinimum: 0, description: 'where the proxy listens' },
        mode: { enum: ['tcp', 'udp'], default: 'tcp' },
        exempt: { type: 'array', items: { format: 'ipv4' } },
        name: { type: 'string' },
        prevResult: {},
      },
    })
    expect(schema.required?.toSorted()).toEqual(['name', 'port'])
    expect(schema.additionalProperties).not.toBe(false)
    expect(JSON.parse(await describer(plugin, 'schema'))).toEqual(schema)
  })

  it('has only standard members without a schema, and any value for a type that JSON Schema lacks', async () => {
    expect(await jsonSchema(bare)).toMatchObject({ title: 'bare', required: ['name'] })
    const config = netConf({
      when: z.pipe(z.string(), z.transform(Number)),
      map: z.optional(z.map(z.string(), z.any())),
    })
    expect((await jsonSchema(definePlugin({ name: 'p', config, add: () => ({}) }))).properties).toMatchObject({
      when: { type: 'string' },
      map: {},
    })
  })
})

describe('the help', () => {
  it("shows the plugin's purpose, verbs, versions and members", async () => {
    expect(await helpText(plugin)).toMatchInlineSnapshot(`
      "redirect: sends connections to a proxy

      Container runtimes start it with CNI_COMMAND in the environment and a configuration on stdin.

      Verbs      ADD DEL VERSION
      Versions   0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0
      Chained    yes: it needs a plugin before it in the list

      Configuration, besides the members of every plugin:
        port     a positive integer (required): where the proxy listens
        mode     one of "tcp", "udp", default "tcp"
        exempt   a list, each an IPv4 address

      Try it: write this to /etc/cni/net.d/10-redirect.conflist

        {
          "cniVersion": "1.1.0",
          "name": "redirect",
          "plugins": [
            {
              "type": "ptp",
              "ipam": {
                "type": "host-local",
                "subnet": "10.99.0.0/24"
              }
            },
            {
              "type": "redirect",
              "port": 1
            }
          ]
        }

      and add a namespace to it

        ip netns add try
        CNI_PATH=/opt/cni/bin cnitool add redirect /run/netns/try

      Options:
        --help, -h   this text
        --schema     the JSON Schema of the configuration
        --version    the version
      "
    `)
  })

  it('lists GC if there is a state, and the capabilities in its sample', async () => {
    const config = netConf({ port: z.int(), runtimeConfig: runtimeConfig('portMappings', 'mac') })
    const state = attachmentState(z.object({}))
    const text = await helpText(definePlugin({ name: 'p', config, state, add: () => ({}), del() {} }))
    expect(text).toContain('Verbs      ADD DEL GC VERSION\n')
    expect(text).toContain('Asks for   portMappings mac: capabilities that its entry declares\n')
    const [sample = ''] = /\{\n[\s\S]*\n {2}\}/.exec(text) ?? []
    const capabilities = { portMappings: true, mac: true }
    expect(JSON.parse(sample).plugins).toEqual([{ type: 'p', capabilities, port: 1 }])
  })

  it('is short for a minimal plugin', async () => {
    expect(await helpText(bare)).toMatch(/^bare: a CNI plugin\n/)
    expect(await helpText(bare)).toContain('Versions   1.0.0\n')
    expect(await helpText(bare)).not.toContain('Configuration')
  })

  it('has a sample that the plugin accepts', async () => {
    const config = netConf({
      host: z.ipv6(),
      count: z.int().check(z.gte(3)),
      tags: z.array(z.string()).check(z.minLength(2)),
      nested: z.object({ on: z.boolean(), maybe: z.optional(z.string()) }),
      exact: z.literal('yes'),
      either: z.union([z.number(), z.string()]),
      code: z.string().check(z.regex(/^[A-Z]{3}$/), z.meta({ examples: ['ABC'] })),
    })
    const picky = definePlugin({ name: 'picky', config, add: () => ({}) })
    const [json = ''] = /^ {2}\{[\s\S]*^ {2}\}$/m.exec(await helpText(picky)) ?? []
    const list = JSON.parse(json)
    expect(list.plugins[0]).toMatchObject({ type: 'picky', code: 'ABC', nested: { on: true } })
    expect(await testPlugin(picky).add({ conf: list.plugins[0] })).toMatchObject({ exitCode: 0 })
  })
})
