import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { fences } from './eslint.fences.js';

export default defineConfig(
  // test/consumers are packages of their own; check:pack compiles them with their own dependencies.
  globalIgnores(['dist/', '.build/', '.matrix/', 'coverage/', 'test/consumers/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // `(this: any, ...args: any[])` is how TypeScript spells "any function"; no-unsafe-* still stop using an `any`.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
    },
  },
  {
    files: ['lib/operation/**/*.ts'],
    // An Interruption unwinds a call past retry and fallback. It is not an Error on purpose: nobody's filter may match it.
    rules: { '@typescript-eslint/only-throw-error': 'off' },
  },
  {
    files: ['test/tc39/**/*.ts'],
    languageOptions: { parserOptions: { projectService: false, project: './tsconfig.tc39.json' } },
  },
  {
    files: ['test/**/*.ts', 'samples/**/*.ts'],
    // Stand-ins are `async` to have a Promise's type.
    rules: { '@typescript-eslint/require-await': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    // A test throws what a library must survive, and looks into what a type hides.
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  fences,
  {
    files: ['**/*.js', '**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: { console: 'readonly', process: 'readonly', URL: 'readonly', fetch: 'readonly' },
    },
  },
);
