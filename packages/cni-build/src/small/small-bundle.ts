import type * as Esbuild from 'esbuild'

/** Bundle of the program and the small runtime's JavaScript modules, before the compilation to bytecode. */
export interface SmallBundle {
  /** JavaScript text of the bundle: one ES module. */
  text: string
  /** Source map of the bundle. Its source paths are relative to the folder of `outfile`. */
  map: string
  metafile: Esbuild.Metafile
  warnings: readonly Esbuild.Message[]
}
