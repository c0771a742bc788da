package io.indexview.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The configurations of connectors as guides have them. */
final class GuideConfig {
  private static final Pattern PROPERTIES =
      Pattern.compile("```properties\n(.*?)```", Pattern.DOTALL);

  private GuideConfig() {}

  /** The first one of a page, to be changed at will. */
  static Map<String, String> of(String page) throws IOException {
    Matcher block = PROPERTIES.matcher(Files.readString(Path.of("..", "docs", page)));
    assertThat(block.find()).as("properties in " + page).isTrue();
    Properties properties = new Properties();
    properties.load(new StringReader(block.group(1)));
    Map<String, String> config = new HashMap<>();
    properties.stringPropertyNames().forEach(key -> config.put(key, properties.getProperty(key)));
    return config;
  }
}
