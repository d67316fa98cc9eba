import com.javaaidev.easyllmtools.llmtoolspec.ConfigurableToolFactory;
import com.javaaidev.easyllmtools.llmtoolspec.Tool;
import com.javaaidev.easyllmtools.llmtoolspec.ToolFactory;
import com.javaaidev.easyllmtools.llmtoolspec.UnconfigurableToolFactory;

/** Prints the values of the tools of some factories: a line of JSON strings in ASCII for each. */
public class PrintDefinitions {
  public static void main(String[] factories) throws Exception {
    for (String name : factories) {
      ToolFactory factory = (ToolFactory) Class.forName(name).getConstructor().newInstance();
      Tool<?, ?> tool;
      if (factory instanceof ConfigurableToolFactory<?, ?, ?, ?> configurable) {
        tool = configurable.create(null);
      } else {
        tool = ((UnconfigurableToolFactory<?, ?, ?>) factory).create();
      }
      String[] values = {
        factory.toolId(), tool.getId(), tool.getName(), tool.getDescription(), tool.getParametersSchema(),
        tool.getReturnTypeSchema(), tool.getExamples(), tool.getRequestType().getTypeName()
      };
      StringBuilder line = new StringBuilder();
      for (String value : values) {
        line.append(line.isEmpty() ? '[' : ',').append('"');
        value.chars().forEach(unit -> line.append(String.format("\\u%04x", unit)));
        line.append('"');
      }
      System.out.println(line.append(']'));
    }
  }
}
