package io.indexview.schemas.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** What the build wrote into {@code build.properties} of a package, as {@code version}. */
public final class BuildProperties {
  private static final String RESOURCE = "build.properties";

  private BuildProperties() {}

  /**
   * The properties.
   *
   * @param beside a class of the package
   * @throws IllegalStateException if they are not there: the build is broken
   */
  public static Properties of(Class<?> beside) {
    try (InputStream stream = beside.getResourceAsStream(RESOURCE)) {
      if (stream == null) {
        throw new IllegalStateException(
            "%s of %s is not on the class path: broken build"
                .formatted(RESOURCE, beside.getPackageName()));
      }
      Properties properties = new Properties();
      properties.load(stream);
      return properties;
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE + " cannot be read", e);
    }
  }
}
