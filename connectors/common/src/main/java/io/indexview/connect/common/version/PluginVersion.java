package io.indexview.connect.common.version;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version this plugin was built as; what {@code version()} of connectors and tasks answers. */
public final class PluginVersion {
  private static final String RESOURCE = "build.properties";
  private static final String VERSION = read();

  private PluginVersion() {}

  public static String get() {
    return VERSION;
  }

  private static String read() {
    try (InputStream stream = PluginVersion.class.getResourceAsStream(RESOURCE)) {
      if (stream == null) {
        throw new IllegalStateException(RESOURCE + " is missing from the plugin's jar");
      }
      Properties properties = new Properties();
      properties.load(stream);
      return properties.getProperty("version");
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE + " cannot be read", e);
    }
  }
}
