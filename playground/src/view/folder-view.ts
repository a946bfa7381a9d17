import type { FolderAnswer } from '../model/net-folder.ts'
import { h, show } from './dom.ts'

const runs = { yes: '✓ runs istio-cni', no: '✕ does not run istio-cni', unknown: '? cannot be told' } as const

type Folder = Extract<FolderAnswer, { kind: 'folder' }>

/** Shows how container runtimes use each file of a CNI network folder, and where the agent adds the plugin. */
export function showFolder(parent: HTMLElement, answer: FolderAnswer): void {
  if (answer.kind === 'problem') {
    show(
      parent,
      h(
        'section',
        { class: 'decision decision-refused', role: 'alert' },
        h('p', { id: 'folder-problem' }, answer.problem),
      ),
    )
    return
  }
  show(parent, readings('What runtimes do now', answer.readings, 'now'), files(answer), place(answer))
}

// internal

function readings(title: string, list: Folder['readings'], id: string): HTMLElement {
  return h(
    'section',
    { class: 'card', 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title),
    ...list.map(({ runtime, runs: verdict, text, next }) =>
      h(
        'div',
        { class: `reading reading-${verdict}`, id: `${id}-${runtime}` },
        h('p', {}, h('strong', {}, `${runs[verdict]}. `), `${text}.`),
        next !== undefined && h('p', { class: 'hint' }, `Next: ${next}.`),
      ),
    ),
    h(
      'p',
      { class: 'hint' },
      'The kubelet does not read the folder: it asks its runtime. cri-dockerd reads it as CRI-O does.',
    ),
  )
}

function files({ files: list }: Folder): HTMLElement {
  return h(
    'section',
    { class: 'card', 'aria-labelledby': 'files-title' },
    h('h2', { id: 'files-title' }, 'The files, in the order of the paste'),
    h(
      'ul',
      { class: 'files' },
      ...list.map(({ name, types, isPrimary, problem }) =>
        h(
          'li',
          { class: problem === undefined ? 'file' : 'file file-broken' },
          h(
            'p',
            {},
            h('code', {}, name),
            isPrimary && h('span', { class: 'end end-proxy' }, '◆ the network of the pods'),
          ),
          problem === undefined
            ? h(
                'ol',
                { class: 'chain-of', 'aria-label': 'its plugins' },
                ...types.map((type) => h('li', { class: type === 'istio-cni' ? 'ours' : '' }, type)),
              )
            : h('p', { class: 'problem' }, `✕ ${problem}`),
        ),
      ),
    ),
  )
}

function place({ place: found, after }: Folder): HTMLElement {
  const title = 'Where the entry of istio-cni goes'
  if (found.kind === 'wait') {
    return h('section', { class: 'card' }, h('h2', {}, title), h('p', { id: 'place' }, `Nowhere yet: ${found.reason}.`))
  }
  const what = {
    unchanged: `It is the last plugin of ${found.name} already.`,
    insert: `It becomes the last plugin of ${found.name}.`,
    convert: `${found.name} has no room for a second plugin: it becomes the list ${found.becomes}, with the entry as its last plugin.`,
  }[found.kind]
  const lines = found.kind === 'unchanged' ? [] : found.diff
  return h(
    'section',
    { class: 'card' },
    h('h2', {}, title),
    h('p', { id: 'place' }, what),
    lines.length > 0 &&
      h(
        'pre',
        { class: 'diff', tabindex: 0, 'aria-label': 'difference' },
        ...lines.map(({ op, text }) =>
          h('span', { class: op === '+' ? 'added' : op === '-' ? 'removed' : 'kept' }, `${op} ${text}\n`),
        ),
      ),
    h('h3', {}, 'Afterwards'),
    ...after.map(({ runs: verdict, text }) =>
      h('p', { class: `reading reading-${verdict}` }, h('strong', {}, `${runs[verdict]}. `), `${text}.`),
    ),
  )
}
