import type { Setting } from '../model/fields.ts'
import type { PodAnswer } from '../model/pod-answer.ts'
import type { Listing } from '../model/rules.ts'
import { h, show } from './dom.ts'
import { startTabs } from './tabs.ts'

const sources = {
  annotation: 'annotation',
  variable: 'variable of istio-proxy',
  node: 'variable of the node',
  securityContext: 'securityContext of',
  namespace: 'from',
  constant: 'the same for every pod',
} as const

/** Shows the pod's rules. Pointing at a setting highlights its rules, and vice versa. */
export function showListings(
  parent: HTMLElement,
  answer: PodAnswer,
  preferred: string | undefined,
  chosen: (id: string) => void,
): void {
  const { listings, settings } = answer
  if (listings.length === 0) {
    show(parent, h('p', { class: 'soft' }, 'There are none.'))
    return
  }
  const hits = countsOf(answer)
  const explanation = h(
    'div',
    { class: 'explanation', 'aria-live': 'polite', id: 'explanation' },
    h('p', { class: 'soft' }, hint),
  )
  const light = lighter(parent, settings, explanation)
  const tabs = h(
    'div',
    { class: 'tabs small', role: 'tablist', 'aria-label': 'Whose words' },
    ...listings.map(({ id, title }) =>
      h('button', { type: 'button', role: 'tab', id: `list-${id}`, 'aria-controls': `lines-${id}` }, title),
    ),
  )
  const panels = listings.map((listing) =>
    h(
      'div',
      { role: 'tabpanel', id: `lines-${listing.id}`, 'aria-labelledby': `list-${listing.id}`, class: 'listing-panel' },
      linesOf(listing, hits, light),
    ),
  )
  show(
    parent,
    h(
      'div',
      { class: 'listings' },
      settingsList(settings, light),
      h('div', { class: 'listing-side' }, tabs, ...panels, explanation),
    ),
  )
  const first = listings.some(({ id }) => id === preferred) ? preferred : listings[0]?.id
  startTabs(tabs, (panel) => chosen(panel.replace('lines-', ''))).select(`lines-${first}`)
}

const hint =
  'Point at a line, or move through the lines with the arrow keys, to see which settings it comes from. Point at a setting to see its lines. The number before a rule counts the packets of the table above that it matched.'

// internal

interface Lighter {
  line(element: HTMLElement, origins: readonly string[], text: string): void
  setting(id: string, isPinned?: boolean): void
  off(): void
}

function countsOf({ typical }: PodAnswer): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { hits } of typical) for (const hit of new Set(hits)) counts.set(hit, (counts.get(hit) ?? 0) + 1)
  return counts
}

function settingsList(settings: readonly Setting[], light: Lighter): HTMLElement {
  return h(
    'ul',
    { class: 'settings', 'aria-label': 'Settings that rules come from' },
    ...settings.map(({ id, name, value, kind, from, isSet }) => {
      const button = h(
        'button',
        { type: 'button', class: 'setting', 'data-setting': id, id: `setting-${id}`, 'aria-pressed': 'false' },
        h('span', { class: 'setting-name' }, name),
        h('span', { class: 'setting-value' }, value),
        h('span', { class: 'setting-from' }, sourceOf(kind, isSet), ...breakable(from ?? '')),
      )
      button.addEventListener('mouseenter', () => light.setting(id))
      button.addEventListener('focus', () => light.setting(id))
      button.addEventListener('mouseleave', () => light.off())
      button.addEventListener('click', () => light.setting(id, true))
      return h('li', {}, button)
    }),
  )
}

function sourceOf(kind: Setting['kind'], isSet: boolean): string {
  const prefix = isSet ? 'set by ' : kind === 'annotation' ? 'default of ' : ''
  return `${prefix}${sources[kind]} `
}

/** Inserts a possible line break after the domain of an annotation's key, for narrow screens. */
function breakable(key: string): (string | HTMLElement)[] {
  const at = key.indexOf('/') + 1
  return at === 0 ? [key] : [key.slice(0, at), h('wbr'), key.slice(at)]
}

function linesOf({ lines, title, more }: Listing, hits: ReadonlyMap<string, number>, light: Lighter): HTMLElement {
  const elements = lines.map(({ text, kind, place, index, origins }, at) => {
    const count = index === undefined ? undefined : hits.get(`${place} ${index}`)
    const element = h(
      'div',
      {
        role: 'option',
        'aria-selected': 'false',
        class: `line line-${kind}`,
        tabindex: at === 0 ? 0 : -1,
        'data-origins': origins.join(' '),
      },
      h(
        'span',
        { class: 'count', title: count === undefined ? undefined : `${count} of the packets above` },
        count === undefined ? '' : String(count),
      ),
      h('span', { class: 'line-text' }, text),
    )
    element.addEventListener('mouseenter', () => light.line(element, origins, text))
    element.addEventListener('focus', () => light.line(element, origins, text))
    return element
  })
  const box = h(
    'div',
    { role: 'listbox', class: 'lines', 'aria-label': title, 'aria-describedby': 'explanation' },
    ...elements,
  )
  box.addEventListener('keydown', (event) => moveIn(elements, event))
  if (more === 0) return box
  return h('div', {}, box, h('p', { class: 'hint' }, `${more} more lines like these: istio-redirect rules prints all.`))
}

function moveIn(elements: readonly HTMLElement[], event: KeyboardEvent): void {
  const at = elements.findIndex((element) => event.target instanceof Node && element.contains(event.target))
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: elements.length - 1,
    PageDown: at + 10,
    PageUp: at - 10,
  }
  const target = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined
  if (target === undefined || at === -1) return
  event.preventDefault()
  const next = elements[Math.max(0, Math.min(target, elements.length - 1))]
  for (const element of elements) element.tabIndex = element === next ? 0 : -1
  next?.focus()
}

/** Highlights the rules of a setting, or the settings of a rule. */
function lighter(parent: HTMLElement, settings: readonly Setting[], explanation: HTMLElement): Lighter {
  let pinned: string | undefined
  const each = (query: string, change: (element: HTMLElement) => void) => {
    for (const element of parent.querySelectorAll<HTMLElement>(query)) change(element)
  }
  const clear = () =>
    each('.lit, [aria-selected=true].line', (element) => {
      element.classList.remove('lit')
      if (element.classList.contains('line')) element.setAttribute('aria-selected', 'false')
    })
  const lightLines = (id: string) =>
    each('.line', (element) => element.classList.toggle('lit', (element.dataset.origins ?? '').split(' ').includes(id)))
  const about = ({ name, value, about: sentence }: Setting) =>
    h('li', {}, h('strong', {}, `${name}: ${value}. `), sentence)
  return {
    line(element, origins, text) {
      clear()
      element.classList.add('lit')
      element.setAttribute('aria-selected', 'true')
      const found = settings.filter(({ id }) => origins.includes(id))
      for (const { id } of found) parent.querySelector(`#setting-${CSS.escape(id)}`)?.classList.add('lit')
      const why =
        found.length === 0
          ? h('p', {}, 'It is always there: the frame of the redirection, whatever a pod says.')
          : h('ul', {}, ...found.map(about))
      show(explanation, h('p', { class: 'mono' }, text.trim()), why)
    },
    setting(id, isPinned = false) {
      clear()
      if (isPinned) {
        pinned = pinned === id ? undefined : id
        each('.setting', (element) => element.setAttribute('aria-pressed', String(element.dataset.setting === pinned)))
      }
      lightLines(id)
      parent.querySelector(`#setting-${CSS.escape(id)}`)?.classList.add('lit')
      const setting = settings.find((one) => one.id === id)
      if (setting !== undefined) show(explanation, h('ul', {}, about(setting)))
    },
    off() {
      clear()
      if (pinned !== undefined) lightLines(pinned)
    },
  }
}
