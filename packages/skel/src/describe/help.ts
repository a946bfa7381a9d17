import type { core } from 'zod/mini'
import { type Plugin, supportedVersions } from '../definition/plugin.ts'
import { describeSchema } from '../schema/describe.ts'
import { netConf } from '../schema/net-conf.ts'
import { shapeOf } from '../schema/walk.ts'
import { defaultOf, descriptionOf } from './description.ts'
import { isOptional, sampleObject } from './sample.ts'

/** Text of `--help`: purpose, verbs, versions and configuration of the plugin, and an example. */
export function helpText(plugin: Plugin): string {
  const { name, about, chained, config } = plugin
  const own = ownMembers(config)
  const capabilities = capabilitiesOf(config)
  const paragraphs = [
    about === undefined || about === name ? `${name}: a CNI plugin` : `${name}: ${about}`,
    'Container runtimes start it with CNI_COMMAND in the environment and a configuration on stdin.',
    [
      `Verbs      ${verbsOf(plugin).join(' ')}`,
      `Versions   ${supportedVersions(plugin).join(' ')}`,
      ...(chained === true ? ['Chained    yes: it needs a plugin before it in the list'] : []),
      ...(capabilities.length === 0
        ? []
        : [`Asks for   ${capabilities.join(' ')}: capabilities that its entry declares`]),
    ].join('\n'),
    ...(Object.keys(own).length === 0 ? [] : [`Configuration, besides the members of every plugin:\n${table(own)}`]),
    `Try it: write this to /etc/cni/net.d/10-${name}.conflist\n\n${indented(listOf(plugin, own, capabilities))}`,
    `and add a namespace to it\n\n  ip netns add try\n  CNI_PATH=/opt/cni/bin cnitool add ${name} /run/netns/try`,
    'Options:\n  --help, -h   this text\n  --schema     the JSON Schema of the configuration\n  --version    the version',
  ]
  return `${paragraphs.join('\n\n')}\n`
}

function verbsOf({ check, del, gc, state, status }: Plugin): string[] {
  // Lists GC for a plugin with a `state`, because GC calls the DEL handler.
  const optional = Object.entries({ CHECK: check, DEL: del, GC: gc ?? state, STATUS: status })
  return ['ADD', ...optional.filter(([, handler]) => handler !== undefined).map(([verb]) => verb), 'VERSION']
}

/** Configuration members in the plugin's schema that are not standard CNI members. */
function ownMembers(config: core.$ZodType | undefined): Record<string, core.$ZodType> {
  const standard = Object.keys(shapeOf(netConf({})) ?? {})
  const shape = config === undefined ? {} : (shapeOf(config) ?? {})
  return Object.fromEntries(Object.entries(shape).filter(([member]) => !standard.includes(member)))
}

/** Names of the capabilities in `runtimeConfig` of the plugin's schema. */
function capabilitiesOf(config: core.$ZodType | undefined): string[] {
  const member = config && shapeOf(config)?.runtimeConfig
  return Object.keys((member && shapeOf(member)) ?? {})
}

function table(members: Readonly<Record<string, core.$ZodType>>): string {
  const width = Math.max(...Object.keys(members).map((member) => member.length))
  return Object.entries(members)
    .map(([member, schema]) => `  ${member.padEnd(width)}   ${wordsFor(schema)}`)
    .join('\n')
}

function wordsFor(schema: core.$ZodType): string {
  const expected = describeSchema(schema) ?? 'a value'
  const preset = defaultOf(schema)
  const need = preset !== undefined ? `, default ${JSON.stringify(preset)}` : isOptional(schema) ? '' : ' (required)'
  const description = descriptionOf(schema)
  return `${expected}${need}${description === undefined ? '' : `: ${description}`}`
}

function listOf(plugin: Plugin, own: Readonly<Record<string, core.$ZodType>>, capabilities: readonly string[]): string {
  const declared = Object.fromEntries(capabilities.map((name) => [name, true]))
  const entry = {
    type: plugin.name,
    ...(capabilities.length === 0 ? {} : { capabilities: declared }),
    ...sampleObject(own),
  }
  const before = { type: 'ptp', ipam: { type: 'host-local', subnet: '10.99.0.0/24' } }
  const cniVersion = supportedVersions(plugin).at(-1)
  return JSON.stringify({ cniVersion, name: plugin.name, plugins: plugin.chained ? [before, entry] : [entry] }, null, 2)
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}
