package io.indexview.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Reads the versions that the build wrote down. */
final class Version implements IVersionProvider {
  private static final String FILE = "version.properties";

  @Override
  public String[] getVersion() throws IOException {
    Properties properties = new Properties();
    try (InputStream in = Version.class.getResourceAsStream(FILE)) {
      properties.load(in);
    }
    return new String[] {
      "Indexview " + properties.getProperty("version"),
      "Apache Kafka " + properties.getProperty("kafka.version"),
      "Java " + Runtime.version()
    };
  }
}
