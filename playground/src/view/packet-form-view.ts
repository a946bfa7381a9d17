import { formOf, type PacketForm, textOf } from '../model/packet-form.ts'
import { h } from './dom.ts'

/** Choices for the sender of a packet. Each choice has the values that it fills into the form. */
const senders = [
  ['application', 'the application (user 1000)', { uid: '1000', mark: '', in: '', from: '', fromPort: '' }],
  ['proxy', 'the sidecar (user 1337)', { uid: '1337', mark: '', in: '', from: '', fromPort: '' }],
  ['ztunnel', 'ztunnel (mark 0x539)', { uid: '', mark: '0x539', in: '', from: '', fromPort: '' }],
  [
    'other',
    'somebody outside (comes in by eth0)',
    { uid: '', mark: '', in: 'eth0', from: '10.244.2.7', fromPort: '40000' },
  ],
] as const

/** Creates the form for a packet. Returns a function that fills the form. */
export function packetForm(parent: HTMLElement, prefix: string, changed: (text: string) => void) {
  let form = formOf('')
  const text = h('input', {
    id: `${prefix}-text`,
    class: 'mono',
    spellcheck: 'false',
    autocomplete: 'off',
    maxlength: 500,
  })
  const sender = h(
    'select',
    { id: `${prefix}-sender` },
    ...senders.map(([value, label]) => h('option', { value }, label)),
    h('option', { value: 'custom' }, 'as the fields say'),
  )
  const inputs = fields.map(([member, label, size]) => {
    const input = h('input', { id: `${prefix}-${member}`, spellcheck: 'false', autocomplete: 'off', maxlength: 60 })
    input.addEventListener('input', () => update({ ...form, [member]: input.value.trim() }, input))
    return { member, input, field: h('div', { class: `field ${size}` }, h('label', { for: input.id }, label), input) }
  })
  const fill = (next: PacketForm, typed?: HTMLElement) => {
    form = next
    for (const { member, input } of inputs) if (input !== typed) input.value = form[member]
    if (typed !== text) text.value = textOf(form)
    if (typed !== sender) sender.value = senderOf(form)
  }
  const update = (next: PacketForm, typed: HTMLElement) => {
    fill(next, typed)
    changed(text.value)
  }
  text.addEventListener('input', () => update(formOf(text.value), text))
  sender.addEventListener('change', () => {
    const [, , values] = senders.find(([value]) => value === sender.value) ?? []
    if (values !== undefined) update({ ...form, ...values }, sender)
  })
  parent.append(
    h('div', { class: 'field wide' }, h('label', { for: sender.id }, 'Who sends it'), sender),
    ...inputs.map(({ field }) => field),
    h(
      'div',
      { class: 'field whole' },
      h(
        'label',
        { for: text.id },
        'The packet in words ',
        h('span', { class: 'soft' }, 'istio-redirect trace --packet'),
      ),
      text,
    ),
    h('datalist', { id: `${prefix}-protocols` }, ...['tcp', 'udp', 'icmp'].map((value) => h('option', { value }))),
    h('datalist', { id: `${prefix}-interfaces` }, ...['eth0', 'lo'].map((value) => h('option', { value }))),
  )
  for (const { member, input } of inputs) {
    if (member === 'protocol' || member === 'in')
      input.setAttribute('list', `${prefix}-${member === 'in' ? 'interfaces' : 'protocols'}`)
  }
  return (value: string) => {
    if (text.value !== value) fill(formOf(value))
  }
}

// internal

const fields = [
  ['protocol', 'Protocol', 'small'],
  ['to', 'To', 'wide'],
  ['port', 'Port', 'small'],
  ['from', 'From', 'wide'],
  ['uid', 'User id', 'small'],
  ['mark', 'Mark', 'small'],
  ['in', 'Comes in by', 'small'],
] as const

function senderOf({ uid, mark, in: entered, from }: PacketForm): string {
  if (entered !== '') return 'other'
  if (from !== '') return 'custom'
  return senders.find(([, , values]) => values.in === '' && values.uid === uid && values.mark === mark)?.[0] ?? 'custom'
}
