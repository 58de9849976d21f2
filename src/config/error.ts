/** A value of the environment that can't be used. Its message is one line that names the variable and the rule. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
